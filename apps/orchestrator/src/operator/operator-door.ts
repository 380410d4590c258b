import { isIP } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import type { OperatorAudit } from '@app/operator-audit';
import { sendAnswer } from '@app/http-server';

export interface OperatorDoorSettings {
  /** Where the port listens: a name or an address. */
  readonly operatorHost: string;
  /** Further names under which it is reached, in lower case. */
  readonly operatorHosts: readonly string[];
}

const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::\d{1,5})?$/;
const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)$/;
/** What a browser says where it asks for a page of another site; it lets no script change it. */
const OWN_SITES: ReadonlySet<string> = new Set(['none', 'same-origin']);

const isLoopback = (name: string): boolean => name === 'localhost' || LOOPBACK.test(name);

/**
 * Whether `Host` is a name of this port. A page that has its own name lead to this machine (DNS rebinding) still sends that name; an address is no
 * name that anybody could have lead here, and is taken where the port listens beyond this machine.
 */
export const isOwnHost = (host: string | undefined, { operatorHost, operatorHosts }: OperatorDoorSettings): boolean => {
  const name = HOST.exec((host ?? '').toLowerCase())?.[1]?.replace(/^\[|\]$|\.$/g, '');
  if (name === undefined) return false;
  if (isLoopback(name) || name === operatorHost.toLowerCase() || operatorHosts.includes(name)) return true;
  return isIP(name) !== 0 && !isLoopback(operatorHost);
};

/** Of a page that this port showed itself, under the name that the request came by: the documents, where operations are tried out. */
const isOwnOrigin = ({ origin = '', host = '' }: Request['headers']): boolean =>
  origin === `http://${host}` || origin === `https://${host}`;

const isFromAPage = ({ headers }: Request): boolean => {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && !OWN_SITES.has(String(site))) return true;
  return headers.origin !== undefined && !isOwnOrigin(headers);
};

/** Before every route of the operator port, whatever the method: what comes by another's name, or for a page of another site, is answered with 403. */
export const operatorDoor =
  (settings: OperatorDoorSettings, audit: Pick<OperatorAudit, 'refused'>) =>
  (request: Request, response: Response, next: NextFunction): void => {
    const refuse = (cause: 'host' | 'browser-page', error: string): void => {
      audit.refused(cause);
      sendAnswer(response, { status: 403, contentType: 'application/json;charset=utf-8', body: `${JSON.stringify({ error })}\n` });
    };
    if (!isOwnHost(request.headers.host, settings)) refuse('host', 'Host is no name of this port: OPERATOR_HOSTS lists them');
    else if (isFromAPage(request)) refuse('browser-page', 'not for pages of a browser');
    else next();
  };
