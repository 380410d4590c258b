export { COUNTRIES } from '@app/kernel';
