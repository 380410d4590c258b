/**
 * For tests that say themselves which stores they run on, or wait for a minute on servers: where the project `e2e-servers` runs their file again they
 * are left out.
 */
export const describeOnce = process.env['E2E_AGAIN'] === undefined ? describe : describe.skip;
