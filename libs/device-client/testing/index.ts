export * from './scripted-parties';
export * from './scripted-server';
