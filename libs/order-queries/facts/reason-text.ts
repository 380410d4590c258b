import { REASONS } from '@app/gateway-protocol';

const BY_CODE: ReadonlyMap<number, string> = new Map(Object.values(REASONS).map(({ code, message }) => [code, message]));

/** The catalogue's text of a reason; a gate's own code that the catalogue does not have is said to be so. */
export const reasonText = (code: number): string => BY_CODE.get(code) ?? `Declined with code ${code}`;
