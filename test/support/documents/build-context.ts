import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import dockerignore from '@balena/dockerignore';
import { DockerfileParser, type Copy, type JSONInstruction } from 'dockerfile-ast';

interface Source {
  readonly line: number;
  readonly path: string;
}

const isFromElsewhere = (instruction: JSONInstruction): boolean =>
  instruction.getKeyword() === 'COPY' && (instruction as Copy).getFromFlag() !== null;

const sourcesOf = (dockerfile: string): readonly Source[] =>
  DockerfileParser.parse(dockerfile)
    .getInstructions()
    .filter((instruction) => ['COPY', 'ADD'].includes(instruction.getKeyword()))
    .map((instruction) => instruction as JSONInstruction)
    .filter((instruction) => !isFromElsewhere(instruction))
    .flatMap((instruction) => {
      const json = instruction.getJSONStrings().map((argument) => argument.getJSONValue());
      const paths = json.length > 0 ? json : instruction.getArguments().map((argument) => argument.getValue());
      return paths.slice(0, -1).map((path) => ({ line: instruction.getRange().start.line + 1, path }));
    });

const plainOf = (path: string): string => path.replace(/^\.?\/+/, '').replace(/\/+$/, '');

const holdsAny = (root: string, path: string, isKept: (path: string) => boolean): boolean => {
  if (!statSync(join(root, path)).isDirectory()) return isKept(path);
  return readdirSync(join(root, path)).some((name) => holdsAny(root, `${path}/${name}`, isKept));
};

/**
 * Lists copied files that do not exist or that `.dockerignore` excludes. Refuses patterns and variables, whose values are unknown here.
 * @param root the build's folder
 */
export const copyFaults = (root: string, dockerfile: string, ignored: string): readonly string[] => {
  const isKept = keptBy(ignored);
  return sourcesOf(dockerfile).flatMap(({ line, path }) => {
    const plain = plainOf(path);
    const fault = (why: string): string[] => [`Dockerfile:${line}: ${path} ${why}`];
    if (/[*?[\]$]/.test(path)) return fault('is no plain path');
    try {
      statSync(join(root, plain));
    } catch {
      return fault('is not there');
    }
    return holdsAny(root, plain, isKept) ? [] : fault('is left out by .dockerignore');
  });
};

/**
 * @param root the build's folder
 * @param paths files and folders that a program of the build reads
 */
export const notCopied = (root: string, dockerfile: string, ignored: string, paths: readonly string[]): readonly string[] => {
  const copied = sourcesOf(dockerfile).map(({ path }) => plainOf(path));
  const isKept = keptBy(ignored);
  return paths.filter((path) => !copied.some((source) => `${path}/`.startsWith(`${source}/`)) || !holdsAny(root, path, isKept));
};

/**
 * @param ignored the text of `.dockerignore`
 * @returns whether a file reaches the build
 */
export const keptBy = (ignored: string): ((path: string) => boolean) => {
  const ignore = dockerignore().add(ignored);
  return (path) => !ignore.ignores(path);
};
