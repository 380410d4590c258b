import { Invoiced } from './invoiced';

/** The merchant server took note of the sum; the interface leaves this message open. */
export class RandomSumResponse extends Invoiced {}
