#!/bin/sh
# Run once by the Postgres image: a database and user of our own beside Temporal's.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$WIDESEEK_DB_PASSWORD" --username "$POSTGRES_USER" <<'SQL'
CREATE USER wideseek WITH PASSWORD :'password';
CREATE DATABASE wideseek OWNER wideseek;
SQL
