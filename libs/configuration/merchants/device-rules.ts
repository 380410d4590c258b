import { faultAt, type Fault } from '../reading/fault';
import type { References } from './references';

/** A device gets addresses of at most 128 characters (interface, section 3.2); a payer's page uses 73 of them behind the prefix. */
const ADDRESS_CHARACTERS_MAX = 128;
export const PAYER_PAGE_CHARACTERS = 73;
const BASE_CHARACTERS_MAX = ADDRESS_CHARACTERS_MAX - PAYER_PAGE_CHARACTERS;

/** This rule applies only where a merchant has a server for the device interface. */
export const deviceFaults = ({ publicBaseUrl = '', pathPrefix = '/paynet', merchants }: References): Fault[] => {
  const isServed = merchants.some(({ merchantUrl }) => merchantUrl !== undefined);
  if (!isServed || publicBaseUrl.length + pathPrefix.length <= BASE_CHARACTERS_MAX) return [];
  const problem = `is longer, with pathPrefix, than ${BASE_CHARACTERS_MAX} characters: devices are told addresses of at most ${ADDRESS_CHARACTERS_MAX}`;
  return [faultAt(['publicBaseUrl'], problem)];
};
