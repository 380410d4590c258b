export { methodNotAllowed } from '@app/serving';
