/** Where an orchestrator of containers mounts secrets: 0444 as a rule, for who may look there is who runs in that container. */
const MOUNTED_SECRETS = /^(\/var)?\/run\/secrets\//;
const MAY_READ = 0o044;
const MAY_DO_MORE = 0o033;

/**
 * What is wrong with the mode of a secret file, or undefined. Below `/run/secrets` others may read it, for the mount decides who can; write it
 * others may nowhere.
 * @param path absolute @param mode as `stat` has it
 */
export const secretFileProblem = (path: string, mode: number): string | undefined => {
  const isOpen = (mode & MAY_DO_MORE) !== 0 || ((mode & MAY_READ) !== 0 && !MOUNTED_SECRETS.test(path));
  return isOpen ? `others may use it (mode ${modeText(mode)}); chmod 600 it` : undefined;
};

/** What is wrong with the mode of a folder that holds secrets, or undefined. */
export const privateFolderProblem = (mode: number): string | undefined =>
  (mode & (MAY_READ | MAY_DO_MORE)) === 0 ? undefined : `others may use it (mode ${modeText(mode)}); chmod 700 it`;

const modeText = (mode: number): string => (mode & 0o777).toString(8);
