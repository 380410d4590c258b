export { templateAdapter, type TemplatePorts } from './adapter';
