export { BODY_BYTES_MAX, readBody, type ReadBody } from '@app/serving';
