-- Run in the database read_models. A schema with the role's name comes first in its search path.
REVOKE ALL ON DATABASE read_models FROM PUBLIC;
GRANT CONNECT, TEMPORARY ON DATABASE read_models TO read_models;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
CREATE SCHEMA read_models AUTHORIZATION read_models;
