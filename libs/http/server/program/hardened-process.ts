const OWNER_ALONE = 0o077;

/**
 * Sets a private umask, and in production blocks SIGUSR1, which would open Node's inspector. Call it before the first
 * file is created.
 */
export const hardenProcess = ({ isProduction }: { readonly isProduction: boolean }): void => {
  process.umask(OWNER_ALONE);
  if (isProduction && process.platform !== 'win32') process.on('SIGUSR1', () => undefined);
};
