const OWNER_ALONE = 0o077;

/**
 * What no program of ours needs: files that others may read, and in production a debugger that whoever may send a signal can open. A listener takes
 * SIGUSR1 from Node, whose answer to it is the inspector. Called before the first file is made.
 */
export const hardenProcess = ({ isProduction }: { readonly isProduction: boolean }): void => {
  process.umask(OWNER_ALONE);
  if (isProduction && process.platform !== 'win32') process.on('SIGUSR1', () => undefined);
};
