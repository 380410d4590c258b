import { oauthEncoded } from './oauth-encoding';

export type OauthParameter = readonly [name: string, value: string];

/** The part of a v4 request that is signed beside its OAuth parameters (interface, section 5.2). */
export interface OauthTarget {
  /** Upper case. */
  readonly method: string;
  /** Scheme, host and path from the configuration, never from the Host header; without query (protocol decisions, section 5). */
  readonly url: string;
  /** The body's parameters, decoded and not trimmed. */
  readonly parameters: Iterable<OauthParameter>;
}

const byNameThenValue = ([name, value]: OauthParameter, [otherName, otherValue]: OauthParameter): number => {
  if (name !== otherName) return name < otherName ? -1 : 1;
  if (value === otherValue) return 0;
  return value < otherValue ? -1 : 1;
};

/** RFC 5849, section 3.4.1.3.2: each name and value encoded, then sorted by byte, by name first. */
const normalised = (parameters: readonly OauthParameter[]): string =>
  parameters
    .map(([name, value]): OauthParameter => [oauthEncoded(name), oauthEncoded(value)])
    .sort(byNameThenValue)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

/**
 * The text that is signed (RFC 5849, section 3.4.1). @param oauth every OAuth parameter of the header but `realm` and `oauth_signature`
 */
export const oauthBaseString = ({ method, url, parameters }: OauthTarget, oauth: Iterable<OauthParameter>): string =>
  `${oauthEncoded(method)}&${oauthEncoded(url)}&${oauthEncoded(normalised([...parameters, ...oauth]))}`;
