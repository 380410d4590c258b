-- The superuser owns the databases: each role owns one schema in one of them, and nothing else.
CREATE DATABASE read_models TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C';
CREATE DATABASE card_vault TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C';
