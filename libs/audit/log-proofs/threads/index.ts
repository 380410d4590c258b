export { LeafRunThreads } from './leaf-run-threads';
