import type { ArgumentsHost } from '@nestjs/common';
import type { Request } from 'express';
import { exchangeIn, type GroupAExchange } from './group-a.exchange';

/** The request that Nest hands round: `switchToHttp()` makes three functions each time that it is asked. */
export const requestIn = (host: ArgumentsHost): Request => host.getArgByIndex<Request>(0);

/** @throws where the request was not read yet: guards, pipe and filter stand in the order of `GroupAOperation` */
export const exchangeOf = (host: ArgumentsHost): GroupAExchange => {
  const exchange = exchangeIn(requestIn(host));
  if (exchange === undefined) throw new Error('the form of a request is read before anything else is asked');
  return exchange;
};
