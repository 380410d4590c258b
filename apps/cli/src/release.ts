import { packageVersion } from '@app/configuration';
import { asJson, type Output } from './terminal/output';

/** `orch --version`. The member is not called `version`: that is the version of what `--json` prints. */
export const showRelease = (output: Output): void => {
  const release = packageVersion();
  output.line(output.isJson ? asJson({ release }) : release);
};
