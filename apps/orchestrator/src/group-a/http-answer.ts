export { HTML_TYPE, sendAnswer } from '@app/serving';
