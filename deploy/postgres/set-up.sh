#!/bin/sh
# Run once, by the image's own entry point, where the data folder is empty: the roles and databases of the service.
# Passwords: letters, digits, - and _ only, for they also stand in addresses. `openssl rand -hex 32` makes such ones.
set -eu
sql=/docker-entrypoint-initdb.d/sql
run() { psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" "$@"; }

PGOPTIONS="-c setup.read_models_password=$READ_MODELS_PASSWORD -c setup.card_vault_password=$CARD_VAULT_PASSWORD" \
  run --dbname postgres --file "$sql/1-roles.sql"
run --dbname postgres --file "$sql/2-databases.sql"
for database in read_models card_vault; do
  run --dbname "$database" --file "$sql/$database.sql"
done
