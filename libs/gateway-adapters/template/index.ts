export { templateAdapter } from './adapter';
