import { isIP } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import type { OperatorAudit } from '@app/investigation/record';
import { CONSOLE_PATH } from './console.controller';
import { CALLBACK_PATH } from './house-sign-in';
import { sendAnswer } from '@app/http/server';

interface OperatorCallerSettings {
  readonly operatorHost: string;
  readonly operatorHosts: readonly string[];
}

const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::\d{1,5})?$/;
const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)$/;
/** Values of `Sec-Fetch-Site`, which no script can change, for requests not caused by another site. */
const OWN_SITES: ReadonlySet<string> = new Set(['none', 'same-origin']);

export const isLoopback = (name: string): boolean => name === 'localhost' || LOOPBACK.test(name);

/**
 * Checks `Host` against DNS rebinding: a rebound page still sends its name. Addresses cannot be rebound, so they are accepted if the port listens beyond
 * loopback.
 */
export const isOwnHost = (host: string | undefined, { operatorHost, operatorHosts }: OperatorCallerSettings): boolean => {
  const name = HOST.exec((host ?? '').toLowerCase())?.[1]?.replace(/^\[|\]$|\.$/g, '');
  if (name === undefined) return false;
  if (isLoopback(name) || name === operatorHost.toLowerCase() || operatorHosts.includes(name)) return true;
  return isIP(name) !== 0 && !isLoopback(operatorHost);
};

/** The documents page may call the port under the name that loaded it. */
const isOwnOrigin = ({ origin = '', host = '' }: Request['headers']): boolean =>
  origin === `http://${host}` || origin === `https://${host}`;

const isNavigation = ({ method, headers }: Request): boolean =>
  method === 'GET' && headers.origin === undefined && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';

/**
 * Pages that another site may open. The provider's redirect changes nothing without the sealed cookie of its start. A link to the console
 * loads files without data, whose script then asks as a page of this port.
 */
const mayBeOpenedByOthers = ({ url }: Request): boolean => {
  const [path = ''] = url.split('?');
  return path === CALLBACK_PATH || path === CONSOLE_PATH || path.startsWith(`${CONSOLE_PATH}/`);
};

const isFromOtherSite = (request: Request): boolean => {
  const { headers } = request;
  if (isNavigation(request) && mayBeOpenedByOthers(request)) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && !OWN_SITES.has(String(site))) return true;
  return headers.origin !== undefined && !isOwnOrigin(headers);
};

/** Answers 403 to a request with another `Host`, or caused by another site's page. */
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
