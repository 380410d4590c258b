/** Secrets mounted here usually have mode 0444, because only the container's processes can read them. */
const MOUNTED_SECRETS = /^(\/var)?\/run\/secrets\//;
const MAY_READ = 0o044;
const MAY_DO_MORE = 0o033;

/**
 * The fault of a secret file's mode, or undefined. Below `/run/secrets` others may read it, but never write it.
 * @param path absolute
 * @param mode as `stat` returns it
 */
export const secretFileProblem = (path: string, mode: number): string | undefined => {
  // Windows has no such modes.
  if (process.platform === 'win32') return undefined;
  const isOpen = (mode & MAY_DO_MORE) !== 0 || ((mode & MAY_READ) !== 0 && !MOUNTED_SECRETS.test(path));
  return isOpen ? `other users can access it (mode ${modeText(mode)}); chmod 600 it` : undefined;
};

export const privateFolderProblem = (mode: number): string | undefined =>
  (mode & (MAY_READ | MAY_DO_MORE)) === 0 ? undefined : `other users can access it (mode ${modeText(mode)}); chmod 700 it`;

const modeText = (mode: number): string => (mode & 0o777).toString(8);
