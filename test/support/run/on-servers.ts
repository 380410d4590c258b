// Runs before each test file of the project `e2e-servers`, so that its services use the production set.
process.env['E2E_STORES'] = 'servers';
