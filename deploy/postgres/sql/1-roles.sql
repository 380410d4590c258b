-- The two roles of the service; the passwords come as settings of this session, so that no file and no list of processes shows them.
-- Neither may make databases or roles, and neither is a member of the other.
DO $$
BEGIN
  EXECUTE format(
    'CREATE ROLE read_models LOGIN PASSWORD %L NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS',
    current_setting('setup.read_models_password'));
  EXECUTE format(
    'CREATE ROLE card_vault LOGIN PASSWORD %L NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS',
    current_setting('setup.card_vault_password'));
END
$$;
-- What is shredded must not live on in the server's log.
ALTER ROLE card_vault SET log_parameter_max_length = 0;
ALTER ROLE card_vault SET log_parameter_max_length_on_error = 0;
