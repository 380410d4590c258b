import type { ArgumentsHost } from '@nestjs/common';
import type { Request } from 'express';
import { exchangeIn, type GroupAExchange } from './group-a.exchange';

/** Taken by its index, because `switchToHttp()` makes three functions at each call. */
export const requestIn = (host: ArgumentsHost): Request => host.getArgByIndex<Request>(0);

/** @throws Error where the form was not read yet, so the guards are not in the order of `GroupAOperation` */
export const exchangeOf = (host: ArgumentsHost): GroupAExchange => {
  const exchange = exchangeIn(requestIn(host));
  if (exchange === undefined) throw new Error('the form of the request was not read yet');
  return exchange;
};
