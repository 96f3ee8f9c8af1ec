export interface paths {
    "/v1/sender-id": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sender IDs
         * @description Returns a page of the integration's sender IDs, newest first.
         */
        get: operations["listSenderIds"];
        put?: never;
        /**
         * Create a sender ID
         * @description Creates a sender ID. A review has to approve it before messages can be sent under it.
         */
        post: operations["createSenderId"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sender-id/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch a sender ID
         * @description Returns the sender ID with a name. Names are compared exactly.
         */
        get: operations["fetchSenderId"];
        put?: never;
        post?: never;
        /**
         * Delete a sender ID
         * @description Deletes a sender ID. Groups that use it lose their sender ID.
         */
        delete: operations["deleteSenderId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/group": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List groups
         * @description Returns a page of the integration's groups, newest first, each with its number of contacts.
         */
        get: operations["listGroups"];
        put?: never;
        /**
         * Create a group
         * @description Creates a group without contacts. Names need not be unique.
         */
        post: operations["createGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/group/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch a group
         * @description Returns a group, without its number of contacts.
         */
        get: operations["fetchGroup"];
        /**
         * Update a group
         * @description Changes the given fields of a group; the others keep their values.
         */
        put: operations["updateGroup"];
        post?: never;
        /**
         * Delete a group
         * @description Deletes a group and its contacts.
         */
        delete: operations["deleteGroup"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        NewSenderId: {
            /**
             * @description The name, unique among sender IDs.
             * @example ACME
             */
            name: string;
            /**
             * @description What the sender ID is used for, for the reviewer.
             * @example Order updates
             */
            purpose: string;
        };
        SenderId: {
            /**
             * @description The id that the service assigned.
             * @example 1
             */
            id: number;
            /**
             * @description The name, unique among sender IDs.
             * @example ACME
             */
            name: string;
            /**
             * @description What the sender ID is used for, for the reviewer.
             * @example Order updates
             */
            purpose: string;
            /**
             * @description The state of its review.
             * @example PENDING
             * @enum {string}
             */
            status: "PENDING" | "APPROVED" | "REJECTED";
            /**
             * @description When the record was created, in UTC with microseconds.
             * @example 2026-01-31T08:00:00.000000Z
             */
            created_at: string;
        };
        SenderIdPage: {
            /** @description The records of the page, newest first. */
            data: components["schemas"]["SenderId"][];
            /**
             * @description The number of this page, counted from 1.
             * @example 1
             */
            current_page: number;
            /**
             * @description The number of the last page; 1 for an empty list.
             * @example 1
             */
            last_page: number;
            /**
             * @description The page size that was applied.
             * @example 15
             */
            per_page: number;
            /**
             * @description The number of records on all pages.
             * @example 1
             */
            total: number;
        };
        NewGroup: {
            /**
             * @description The name. Groups with the same name need an id or uuid.
             * @example Customers
             */
            name: string;
            /**
             * @description Whether contacts get a message on their birthday.
             * @example true
             */
            send_birthday?: boolean;
            /**
             * @description The birthday message; `{first_name}` stands for the contact's name; null for no message.
             * @example Happy birthday, {first_name}!
             */
            birthday_message?: string | null;
        };
        Group: {
            /**
             * @description The id that the service assigned.
             * @example 1
             */
            id: number;
            /**
             * Format: uuid
             * @description The uuid that the service assigned.
             * @example 123e4567-e89b-12d3-a456-426614174000
             */
            uuid: string;
            /**
             * @description The name. Groups with the same name need an id or uuid.
             * @example Customers
             */
            name: string;
            /**
             * @description Whether contacts get a message on their birthday.
             * @example true
             */
            send_birthday: boolean;
            /**
             * @description Whether contacts get messages on holidays; null for not decided.
             * @example false
             */
            send_holiday: boolean | null;
            /**
             * @description The birthday message; `{first_name}` stands for the contact's name; null for no message.
             * @example Happy birthday, {first_name}!
             */
            birthday_message: string | null;
            /**
             * @description When the record was created, in UTC with microseconds.
             * @example 2026-01-31T08:00:00.000000Z
             */
            created_at: string;
        };
        ListedGroup: {
            /**
             * @description The id that the service assigned.
             * @example 1
             */
            id: number;
            /**
             * Format: uuid
             * @description The uuid that the service assigned.
             * @example 123e4567-e89b-12d3-a456-426614174000
             */
            uuid: string;
            /**
             * @description The name. Groups with the same name need an id or uuid.
             * @example Customers
             */
            name: string;
            /**
             * @description Whether contacts get a message on their birthday.
             * @example true
             */
            send_birthday: boolean;
            /**
             * @description Whether contacts get messages on holidays; null for not decided.
             * @example false
             */
            send_holiday: boolean | null;
            /**
             * @description The birthday message; `{first_name}` stands for the contact's name; null for no message.
             * @example Happy birthday, {first_name}!
             */
            birthday_message: string | null;
            /**
             * @description The number of contacts in the group.
             * @example 12
             */
            contacts_count: number;
            /**
             * @description When the record was created, in UTC with microseconds.
             * @example 2026-01-31T08:00:00.000000Z
             */
            created_at: string;
        };
        GroupPage: {
            /** @description The records of the page, newest first. */
            data: components["schemas"]["ListedGroup"][];
            /**
             * @description The number of this page, counted from 1.
             * @example 1
             */
            current_page: number;
            /**
             * @description The number of the last page; 1 for an empty list.
             * @example 1
             */
            last_page: number;
            /**
             * @description The page size that was applied.
             * @example 15
             */
            per_page: number;
            /**
             * @description The number of records on all pages.
             * @example 1
             */
            total: number;
        };
        GroupUpdate: {
            /**
             * @description The name. Groups with the same name need an id or uuid.
             * @example Customers
             */
            name?: string;
            /**
             * @description Whether contacts get a message on their birthday.
             * @example true
             */
            send_birthday?: boolean;
            /**
             * @description Whether contacts get messages on holidays; null for not decided.
             * @example false
             */
            send_holiday?: boolean | null;
            /**
             * @description The birthday message; `{first_name}` stands for the contact's name; null for no message.
             * @example Happy birthday, {first_name}!
             */
            birthday_message?: string | null;
            /**
             * @description The sender ID under which the group's messages are sent, by name or by id in decimal; null for none. No response returns it.
             * @example ACME
             */
            sender_id?: string | null;
        };
        /** @description The envelope of a refused request. */
        Refusal: {
            /**
             * @description False: the request was refused.
             * @constant
             */
            status: false;
            /**
             * @description Why it was refused.
             * @example The request is invalid
             */
            message: string;
            /** @description A refused request returns no data. */
            data: null;
            /**
             * @description What is wrong with each invalid field, by its name.
             * @example {
             *       "name": [
             *         "is required"
             *       ]
             *     }
             */
            errors?: {
                [key: string]: string[];
            };
        };
    };
    responses: {
        /** @description The path is not percent-encoded correctly, or the body is not valid JSON. */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Refusal"];
            };
        };
        /** @description The request has no key, or a key that the service has not issued. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Refusal"];
            };
        };
        /** @description The integration has no such record. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Refusal"];
            };
        };
        /** @description The integration already has a sender ID with this name. */
        Conflict: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Refusal"];
            };
        };
        /** @description The body is longer than 64 KiB. */
        ContentTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Refusal"];
            };
        };
        /** @description The body is not declared as JSON. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Refusal"];
            };
        };
        /** @description Fields of the body or parameters of the query are invalid. */
        Invalid: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Refusal"];
            };
        };
        /** @description The key has used up its rate of requests. */
        TooManyRequests: {
            headers: {
                /** @description Seconds to wait before the next request. */
                "Retry-After"?: number;
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Refusal"];
            };
        };
        /** @description A defect of the service. */
        ServerError: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Refusal"];
            };
        };
        /** @description The database is busy, or the service is shutting down. Nothing was changed. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Refusal"];
            };
        };
    };
    parameters: {
        /**
         * @description The name of the sender ID, percent-encoded.
         * @example ACME
         */
        name: string;
        /**
         * @description The id of the group in decimal, or its uuid.
         * @example 1
         */
        id: string;
        /**
         * @description The number of records on a page.
         * @example 15
         */
        perPage: number;
        /**
         * @description The number of the page, counted from 1. A page past the end has no records.
         * @example 1
         */
        page: number;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Names the request in the log of the server. A client may send one of its own: 1 to 128 letters, digits and `._~:+/=-`. The server replaces any other.
         * @example 2l9gq7yqof-1
         */
        RequestId: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listSenderIds: {
        parameters: {
            query?: {
                /**
                 * @description The number of records on a page.
                 * @example 15
                 */
                perPage?: components["parameters"]["perPage"];
                /**
                 * @description The number of the page, counted from 1. A page past the end has no records.
                 * @example 1
                 */
                page?: components["parameters"]["page"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sender Ids retrieved */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": true,
                     *       "message": "Sender Ids retrieved",
                     *       "data": {
                     *         "data": [
                     *           {
                     *             "id": 1,
                     *             "name": "ACME",
                     *             "purpose": "Order updates",
                     *             "status": "PENDING",
                     *             "created_at": "2026-01-31T08:00:00.000000Z"
                     *           }
                     *         ],
                     *         "current_page": 1,
                     *         "last_page": 1,
                     *         "per_page": 15,
                     *         "total": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description True: the request succeeded.
                         * @constant
                         */
                        status: true;
                        /**
                         * @description What was done.
                         * @constant
                         */
                        message: "Sender Ids retrieved";
                        data: components["schemas"]["SenderIdPage"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createSenderId: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "ACME",
                 *       "purpose": "Order updates"
                 *     }
                 */
                "application/json": components["schemas"]["NewSenderId"];
            };
        };
        responses: {
            /** @description Sender Id created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": true,
                     *       "message": "Sender Id created",
                     *       "data": {
                     *         "id": 1,
                     *         "name": "ACME",
                     *         "purpose": "Order updates",
                     *         "status": "PENDING",
                     *         "created_at": "2026-01-31T08:00:00.000000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description True: the request succeeded.
                         * @constant
                         */
                        status: true;
                        /**
                         * @description What was done.
                         * @constant
                         */
                        message: "Sender Id created";
                        data: components["schemas"]["SenderId"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    fetchSenderId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of the sender ID, percent-encoded.
                 * @example ACME
                 */
                name: components["parameters"]["name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sender retrieved */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": true,
                     *       "message": "Sender retrieved",
                     *       "data": {
                     *         "id": 1,
                     *         "name": "ACME",
                     *         "purpose": "Order updates",
                     *         "status": "PENDING",
                     *         "created_at": "2026-01-31T08:00:00.000000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description True: the request succeeded.
                         * @constant
                         */
                        status: true;
                        /**
                         * @description What was done.
                         * @constant
                         */
                        message: "Sender retrieved";
                        data: components["schemas"]["SenderId"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteSenderId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of the sender ID, percent-encoded.
                 * @example ACME
                 */
                name: components["parameters"]["name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sender deleted */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description True: the request succeeded.
                         * @constant
                         */
                        status: true;
                        /**
                         * @description What was done.
                         * @constant
                         */
                        message: "Sender deleted";
                        /** @description A delete returns no data. */
                        data: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listGroups: {
        parameters: {
            query?: {
                /**
                 * @description The number of records on a page.
                 * @example 15
                 */
                perPage?: components["parameters"]["perPage"];
                /**
                 * @description The number of the page, counted from 1. A page past the end has no records.
                 * @example 1
                 */
                page?: components["parameters"]["page"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Groups retrieved */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": true,
                     *       "message": "Groups retrieved",
                     *       "data": {
                     *         "data": [
                     *           {
                     *             "id": 1,
                     *             "uuid": "123e4567-e89b-12d3-a456-426614174000",
                     *             "name": "Customers",
                     *             "send_birthday": true,
                     *             "send_holiday": false,
                     *             "birthday_message": "Happy birthday, {first_name}!",
                     *             "contacts_count": 12,
                     *             "created_at": "2026-01-31T08:00:00.000000Z"
                     *           }
                     *         ],
                     *         "current_page": 1,
                     *         "last_page": 1,
                     *         "per_page": 15,
                     *         "total": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description True: the request succeeded.
                         * @constant
                         */
                        status: true;
                        /**
                         * @description What was done.
                         * @constant
                         */
                        message: "Groups retrieved";
                        data: components["schemas"]["GroupPage"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createGroup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Customers",
                 *       "send_birthday": true,
                 *       "birthday_message": "Happy birthday, {first_name}!"
                 *     }
                 */
                "application/json": components["schemas"]["NewGroup"];
            };
        };
        responses: {
            /** @description Group created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": true,
                     *       "message": "Group created",
                     *       "data": {
                     *         "id": 1,
                     *         "uuid": "123e4567-e89b-12d3-a456-426614174000",
                     *         "name": "Customers",
                     *         "send_birthday": true,
                     *         "send_holiday": false,
                     *         "birthday_message": "Happy birthday, {first_name}!",
                     *         "created_at": "2026-01-31T08:00:00.000000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description True: the request succeeded.
                         * @constant
                         */
                        status: true;
                        /**
                         * @description What was done.
                         * @constant
                         */
                        message: "Group created";
                        data: components["schemas"]["Group"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    fetchGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the group in decimal, or its uuid.
                 * @example 1
                 */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Group retrieved */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": true,
                     *       "message": "Group retrieved",
                     *       "data": {
                     *         "id": 1,
                     *         "uuid": "123e4567-e89b-12d3-a456-426614174000",
                     *         "name": "Customers",
                     *         "send_birthday": true,
                     *         "send_holiday": false,
                     *         "birthday_message": "Happy birthday, {first_name}!",
                     *         "created_at": "2026-01-31T08:00:00.000000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description True: the request succeeded.
                         * @constant
                         */
                        status: true;
                        /**
                         * @description What was done.
                         * @constant
                         */
                        message: "Group retrieved";
                        data: components["schemas"]["Group"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the group in decimal, or its uuid.
                 * @example 1
                 */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Customers",
                 *       "send_birthday": true,
                 *       "send_holiday": false,
                 *       "birthday_message": "Happy birthday, {first_name}!",
                 *       "sender_id": "ACME"
                 *     }
                 */
                "application/json": components["schemas"]["GroupUpdate"];
            };
        };
        responses: {
            /** @description Group updated */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": true,
                     *       "message": "Group updated",
                     *       "data": {
                     *         "id": 1,
                     *         "uuid": "123e4567-e89b-12d3-a456-426614174000",
                     *         "name": "Customers",
                     *         "send_birthday": true,
                     *         "send_holiday": false,
                     *         "birthday_message": "Happy birthday, {first_name}!",
                     *         "created_at": "2026-01-31T08:00:00.000000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description True: the request succeeded.
                         * @constant
                         */
                        status: true;
                        /**
                         * @description What was done.
                         * @constant
                         */
                        message: "Group updated";
                        data: components["schemas"]["Group"];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the group in decimal, or its uuid.
                 * @example 1
                 */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Group deleted */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description True: the request succeeded.
                         * @constant
                         */
                        status: true;
                        /**
                         * @description What was done.
                         * @constant
                         */
                        message: "Group deleted";
                        /** @description A delete returns no data. */
                        data: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
}
