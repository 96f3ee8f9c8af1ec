/**
 * The schema that the migrations create, by which `local check` finds what is missing. A test compares them.
 */

/** Columns by table and name. */
export const expectedColumns: Readonly<Record<string, string>> = {
  "clock.one": "boolean NOT NULL",
  "clock.newest": "bigint NOT NULL",
  "clock.last_integration": "bigint NOT NULL",
  "clock.last_key": "bigint NOT NULL",
  "clock.last_sender_id": "bigint NOT NULL",
  "clock.last_group": "bigint NOT NULL",
  "contact.id": "bigint NOT NULL",
  "contact.group_id": "bigint NOT NULL",
  "contact.phone": "text NOT NULL",
  "contact.first_name": "text",
  "contact.birth_date": "text",
  "contact_group.id": "bigint NOT NULL",
  "contact_group.integration_id": "bigint",
  "contact_group.uuid": "uuid NOT NULL",
  "contact_group.name": "text NOT NULL",
  "contact_group.send_birthday": "boolean NOT NULL",
  "contact_group.send_holiday": "boolean",
  "contact_group.birthday_message": "text",
  "contact_group.sender_id": "bigint",
  "contact_group.contacts_count": "bigint NOT NULL",
  "contact_group.created_at": "bigint NOT NULL",
  "integration.id": "bigint NOT NULL",
  "integration.name": "text",
  "integration.created_at": "bigint NOT NULL",
  "integration.sender_id_total": "bigint NOT NULL",
  "integration.sender_id_changes": "bigint NOT NULL",
  "integration.contact_group_total": "bigint NOT NULL",
  "integration.contact_group_changes": "bigint NOT NULL",
  "secret_key.id": "bigint NOT NULL",
  "secret_key.integration_id": "bigint NOT NULL",
  "secret_key.hash": "bytea NOT NULL",
  "secret_key.ending": "text NOT NULL",
  "secret_key.created_at": "bigint NOT NULL",
  "sendctl.compatible_with": "integer",
  "sendctl.version": "integer NOT NULL",
  "sender_id.id": "bigint NOT NULL",
  "sender_id.integration_id": "bigint NOT NULL",
  "sender_id.name": "text NOT NULL",
  "sender_id.purpose": "text NOT NULL",
  "sender_id.status": "text NOT NULL",
  "sender_id.created_at": "bigint NOT NULL",
  "writer.id": "uuid NOT NULL",
  "writer.turn": "bigint NOT NULL",
  "writer.fence": "bigint NOT NULL",
  "writer.at": "timestamp with time zone NOT NULL",
};

/** Keys, references and checks by table and name. */
export const expectedConstraints: Readonly<Record<string, string>> = {
  "clock.clock_one_check": "CHECK (one)",
  "clock.clock_pkey": "PRIMARY KEY (one)",
  "contact.contact_group_id_fkey":
    "FOREIGN KEY (group_id) REFERENCES contact_group(id) ON DELETE CASCADE",
  "contact.contact_group_id_phone_key": "UNIQUE (group_id, phone)",
  "contact.contact_pkey": "PRIMARY KEY (id)",
  "contact_group.contact_group_integration_id_fkey":
    "FOREIGN KEY (integration_id) REFERENCES integration(id) ON DELETE CASCADE",
  "contact_group.contact_group_pkey": "PRIMARY KEY (id)",
  "contact_group.contact_group_sender_id_fkey":
    "FOREIGN KEY (sender_id) REFERENCES sender_id(id) ON DELETE SET NULL",
  "contact_group.contact_group_uuid_key": "UNIQUE (uuid)",
  "integration.integration_name_key": "UNIQUE (name)",
  "integration.integration_pkey": "PRIMARY KEY (id)",
  "secret_key.secret_key_hash_key": "UNIQUE (hash)",
  "secret_key.secret_key_integration_id_fkey":
    "FOREIGN KEY (integration_id) REFERENCES integration(id) ON DELETE CASCADE",
  "secret_key.secret_key_pkey": "PRIMARY KEY (id)",
  "sender_id.sender_id_integration_id_fkey":
    "FOREIGN KEY (integration_id) REFERENCES integration(id) ON DELETE CASCADE",
  "sender_id.sender_id_integration_id_name_key": "UNIQUE (integration_id, name)",
  "sender_id.sender_id_pkey": "PRIMARY KEY (id)",
  "sender_id.sender_id_status_check":
    "CHECK ((status = ANY (ARRAY['PENDING'::text, 'APPROVED'::text, 'REJECTED'::text])))",
  "writer.writer_check": "CHECK ((turn <> fence))",
  "writer.writer_pkey": "PRIMARY KEY (id)",
};

/** Indexes that belong to no constraint. */
export const expectedIndexes: Readonly<Record<string, string>> = {
  contact_by_birthday:
    'CREATE INDEX contact_by_birthday ON contact USING btree (group_id, "right"(birth_date, 5), id) WHERE (birth_date IS NOT NULL)',
  contact_group_of_integration:
    "CREATE INDEX contact_group_of_integration ON contact_group USING btree (integration_id, id)",
  contact_group_of_sender_id:
    "CREATE INDEX contact_group_of_sender_id ON contact_group USING btree (sender_id) WHERE (sender_id IS NOT NULL)",
  secret_key_of_integration:
    "CREATE INDEX secret_key_of_integration ON secret_key USING btree (integration_id)",
  sender_id_of_integration:
    "CREATE INDEX sender_id_of_integration ON sender_id USING btree (integration_id, id)",
  sender_id_pending:
    "CREATE INDEX sender_id_pending ON sender_id USING btree (created_at) WHERE (status = 'PENDING'::text)",
};
