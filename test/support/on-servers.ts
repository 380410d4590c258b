// Before each test file of the project `e2e-servers`: its services run on the production set.
process.env['E2E_STORES'] = 'servers';
process.env['E2E_AGAIN'] = 'yes';
