export { PlainExceptionFilter } from '@app/serving';
