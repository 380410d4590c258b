import { isIP } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import type { OperatorAudit } from '@app/investigation/record';
import { sendAnswer } from '@app/http/server';

interface OperatorCallerSettings {
  /** The name or address on which the port listens. */
  readonly operatorHost: string;
  /** Further names of the port, in lower case. */
  readonly operatorHosts: readonly string[];
}

const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::\d{1,5})?$/;
const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)$/;
/** The values of `Sec-Fetch-Site`, which no script can change, for a request that no other site caused. */
const OWN_SITES: ReadonlySet<string> = new Set(['none', 'same-origin']);

const isLoopback = (name: string): boolean => name === 'localhost' || LOOPBACK.test(name);

/**
 * Whether `Host` is a name of this port. A page whose name was rebound to this machine (DNS rebinding) still sends that name. An address cannot be rebound,
 * and is accepted where the port listens beyond loopback.
 */
export const isOwnHost = (host: string | undefined, { operatorHost, operatorHosts }: OperatorCallerSettings): boolean => {
  const name = HOST.exec((host ?? '').toLowerCase())?.[1]?.replace(/^\[|\]$|\.$/g, '');
  if (name === undefined) return false;
  if (isLoopback(name) || name === operatorHost.toLowerCase() || operatorHosts.includes(name)) return true;
  return isIP(name) !== 0 && !isLoopback(operatorHost);
};

/** The documents page of this port may call it, under the name that the page was loaded by, to try operations out. */
const isOwnOrigin = ({ origin = '', host = '' }: Request['headers']): boolean =>
  origin === `http://${host}` || origin === `https://${host}`;

const isFromOtherSite = ({ headers }: Request): boolean => {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && !OWN_SITES.has(String(site))) return true;
  return headers.origin !== undefined && !isOwnOrigin(headers);
};

/** Runs before every route of the operator port: a request with another `Host`, or caused by a page of another site, is answered with 403. */
export const checkOperatorCaller =
  (settings: OperatorCallerSettings, audit: Pick<OperatorAudit, 'refused'>) =>
  (request: Request, response: Response, next: NextFunction): void => {
    const refuse = (cause: 'host' | 'browser-page', error: string): void => {
      audit.refused(cause);
      sendAnswer(response, { status: 403, contentType: 'application/json;charset=utf-8', body: `${JSON.stringify({ error })}\n` });
    };
    if (!isOwnHost(request.headers.host, settings)) refuse('host', 'Host is no name of this port: OPERATOR_HOSTS lists them');
    else if (isFromOtherSite(request)) refuse('browser-page', 'not for pages of a browser');
    else next();
  };
