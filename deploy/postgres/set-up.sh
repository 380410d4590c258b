#!/bin/sh
# Creates the roles and databases of the service. The image's entry point runs it once, if the data folder is empty.
# Passwords: only letters, digits, - and _, because addresses contain them. `openssl rand -hex 32` creates one.
set -eu
sql=/docker-entrypoint-initdb.d/sql
run() { psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" "$@"; }

PGOPTIONS="-c setup.read_models_password=$READ_MODELS_PASSWORD -c setup.card_vault_password=$CARD_VAULT_PASSWORD" \
  run --dbname postgres --file "$sql/1-roles.sql"
run --dbname postgres --file "$sql/2-databases.sql"
for database in read_models card_vault; do
  run --dbname "$database" --file "$sql/$database.sql"
done
