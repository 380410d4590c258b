-- Run in the database card_vault. A schema with the role's name comes first in its search path.
REVOKE ALL ON DATABASE card_vault FROM PUBLIC;
GRANT CONNECT ON DATABASE card_vault TO card_vault;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
CREATE SCHEMA card_vault AUTHORIZATION card_vault;
