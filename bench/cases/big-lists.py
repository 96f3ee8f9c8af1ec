"""Reads every group of a database, newest first, and prints each as a line of JSON."""

import json
import sqlite3
import sys

database = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
database.row_factory = sqlite3.Row
for group in database.execute("SELECT * FROM contact_group ORDER BY id DESC"):
    sys.stdout.write(json.dumps(dict(group)) + "\n")
