import { CommandFailed, EXIT } from '../command-failed';
import { shellWord } from './shell-word';
import type { SignedRequest } from './sign-request';

/** The request as a line for a shell, to be pasted as it is. @throws CommandFailed for a callback, which no merchant sends */
export const curlLine = ({ url, authorization, fields }: Pick<SignedRequest, 'url' | 'authorization' | 'fields'>): string => {
  if (url === undefined) throw new CommandFailed('a callback comes from the service: there is no request to make', EXIT.usage);
  const header = authorization === undefined ? [] : [`--header ${shellWord(`Authorization: ${authorization}`)}`];
  return [
    'curl -sS',
    shellWord(url),
    ...header,
    ...fields.map(([name, value]) => `--data-urlencode ${shellWord(`${name}=${value}`)}`),
  ].join(' ');
};
