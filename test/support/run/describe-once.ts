/**
 * For tests that choose their own stores, or wait for a minute on servers: they are left out where the project `e2e-servers` runs their file again.
 */
export const describeOnce = process.env['E2E_AGAIN'] === undefined ? describe : describe.skip;
