import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readInput } from '../src/edges/cli/command.ts'
import { findCommand } from '../src/edges/cli/run.ts'
import { AppError } from '../src/kit/app-error.ts'
import { wordsOf } from '../test/command-line/words.ts'
import { anchorOf, parsePrinted, readExamples } from './read-page.ts'

/**
 * Checks what pages and messages name: files and links exist, commands are commands of Mailyard, and a request that changes a record
 * has its id in a variable that the page sets, so that no page changes the record of another page. Checks also how long lines,
 * sentences and all of `docs/` are. Prints each fault with its place.
 */
const pages = globSync(['*.md', '.github/**/*.md', '{docs,src}/**/*.md'])
const lineMax = 160
const sentenceWordsMax = 25
const docsWordsMax = 45_000
const packed: { files: string[] } = JSON.parse(readFileSync('package.json', 'utf8'))
const faults: string[] = []

const numbered = 'a change names a record by its number; use a variable or its name'
/** Ids of records in a body and in a query. */
const idMember = /"(?:\w*Id|ids?|mautic|transports?|owner|role|down)": ?\[?\d/
const idParameter = /[?&](?:\w*Id|ids|mautic|transport)=\d/

/** What follows the name of the program; not after `sudo -u` and `docker exec`, where it is a user and a container. */
const commandForm =
  /(?:^|[\s(|])(?<!(?:-u|exec|--name) )(?:\.\/)?mailyard ([a-z](?:'[^']*'|"[^"]*"|[^\n#|;'"`])*)/g

for (const page of pages) checkPage(page, readFileSync(page, 'utf8'))
for (const file of globSync('{src,web}/**/*.{ts,tsx}', { exclude: ['web/dist', 'web/generated'] }))
  if (!/\.test\.tsx?$/.test(file)) checkMessages(file, readFileSync(file, 'utf8'))
checkSize()
for (const fault of faults) process.stderr.write(`${fault}\n`)
if (faults.length > 0) process.exitCode = 1

function checkPage(page: string, text: string): void {
  const prose = text.replaceAll(/^ *```.*?^ *```/gms, (block) => block.replaceAll(/[^\n]/g, ' '))
  const report = (index: number, fault: string) =>
    faults.push(`${page}:${text.slice(0, index).split('\n').length}: ${fault}`)
  for (const { 1: path = '', index } of prose.matchAll(/`([^`\s]+)`/g))
    if (isPath(path) && !isThere(page, path)) report(index, `${path} does not exist`)
  for (const { 1: target = '', index } of prose.matchAll(/\]\(([^)\s]+)\)/g))
    if (!isLinkTarget(page, target)) report(index, `the link to ${target} leads nowhere`)
  for (const answer of readExamples(page, text).flatMap(({ printed }) => printed))
    if (!isParsed(answer)) report(text.indexOf(answer), 'the printed answer is not JSON')
  for (const { 0: line, index } of text.matchAll(/^.+$/gm))
    if (line.length > lineMax) report(index, `the line has ${line.length} characters`)
  for (const { words, index } of findSentences(prose))
    if (words > sentenceWordsMax) report(index, `the sentence has ${words} words`)
  const variables = new Set<string>()
  for (const { text: command, index } of findCommands(text)) {
    for (const fault of [...faultsOfCommand(command), ...faultsOfRequest(command, variables)])
      report(index, `${fault}: ${command.trim().slice(0, 80)}`)
    for (const [, name = ''] of command.matchAll(/(?:^|\s)([a-z]\w*)=/g)) variables.add(name)
  }
}

function checkSize(): void {
  const words = pages
    .filter((page) => page.startsWith('docs/'))
    .flatMap((page) => readFileSync(page, 'utf8').match(/\S+/g) ?? []).length
  if (words > docsWordsMax) faults.push(`docs has ${words} words, and ${docsWordsMax} are allowed`)
}

/** The sentences of a text. A colon, an item of a list, a cell and a title end one. Code is one word, the target of a link none. */
function findSentences(prose: string): { words: number; index: number }[] {
  const plain = prose
    .replaceAll(/`[^`]+`/g, (code) => 'x'.repeat(code.length))
    .replaceAll(/\]\([^)\s]*\)/g, (target) => ']'.padEnd(target.length))
  const end = /\n\s*\n|\n *(?:[-*#]|\d+\.) |\||[.!?:]["”)\]*]*\s/.source
  return [...plain.matchAll(new RegExp(`(?:(?!${end})[^])+`, 'g'))].map(
    ({ 0: sentence, index }) => ({
      words: sentence.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0,
      index,
    }),
  )
}

function isParsed(answer: string): boolean {
  try {
    parsePrinted(answer)
    return true
  } catch {
    return false
  }
}

/** The lines of shell blocks, with what continues them, and the code in sentences that is a command. */
function findCommands(text: string): { text: string; index: number }[] {
  const commands: { text: string; index: number }[] = []
  for (const { 1: block = '', index, 0: whole } of text.matchAll(/^ *```sh\n(.*?)^ *```/gms)) {
    const start = index + whole.indexOf(block)
    for (const line of block.matchAll(/^(?:[^\n\\']|\\.|\\\n|'[^']*')+/gm))
      commands.push({ text: line[0], index: start + line.index })
  }
  for (const { 1: code = '', index } of text.matchAll(/`((?:\.\/mailyard|mailyard|api) [^`]+)`/g))
    commands.push({ text: code, index })
  return commands.sort((one, other) => one.index - other.index)
}

/** Whether code in a sentence is the path of a file of this checkout, and not an address, a type or a placeholder. */
function isPath(code: string): boolean {
  if (/[<>…{}$]|^\/|^~|:\/\//.test(code)) return false
  return /^(?:\.ci|bench|docs|ops|packaging|scripts|src|test|web)\/|\/.*\.tsx?$|^[A-Za-z-]+\.(?:md|tsx?)$/.test(
    code,
  )
}

/** Pages name files from the root, from `src/` where they say so, and modules by their names. */
function isThere(page: string, path: string): boolean {
  const roots = ['.', 'src', dirname(page)]
  if (roots.some((root) => globSync(join(root, path)).length > 0)) return true
  return !path.includes('/') && globSync(`{src,web}/**/${path}`).length > 0
}

function isLinkTarget(page: string, target: string): boolean {
  if (/^[a-z]+:/.test(target)) return true
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? page : join(dirname(page), path)
  if (!existsSync(file)) return false
  return anchor === undefined || anchorsOf(readFileSync(file, 'utf8')).has(anchor)
}

function anchorsOf(text: string): Set<string> {
  return new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchorOf(title)))
}

/** A text may name a command without its arguments. */
function faultsOfCommand(text: string): string[] {
  return [...text.matchAll(commandForm)].flatMap(([, line = '']) => {
    const words = wordsOf(line.replace(/\\$/, '')).filter((word) => word !== '--json')
    if (words.includes('--help')) return []
    const isChange = !/^(?:list|get|check|test)/.test(words[1] ?? '')
    const isNumbered = (word: string, index: number) =>
      index > 1 && /^\d+$/.test(word) && !words[index - 1]?.startsWith('--')
    if (isChange && words.some(isNumbered)) return [numbered]
    try {
      const command = findCommand(words)
      const input = words.slice(command?.words.split(' ').length)
      if (command !== undefined && input.length > 0) readInput(command, input)
      return []
    } catch (error) {
      return [error instanceof AppError ? error.message : `"mailyard ${line}" is wrong`]
    }
  })
}

function faultsOfRequest(command: string, variables: ReadonlySet<string>): string[] {
  const requests = [...command.matchAll(/\bapi ('[^']*'|"[^"]*"|\S+)(.*)/gs)]
  const literal = requests.filter(([, path = '', rest = '']) => {
    const isChange = /\s(?:-d|--data\S*|-X (?!GET))\s?/.test(rest)
    return (
      isChange && (/\/\d+(?:[/?"']|$)/.test(path) || idParameter.test(path) || idMember.test(rest))
    )
  })
  const used = [...command.replaceAll(/\(\?.*?\)/g, '').matchAll(/\$([a-z]\w*)/g)]
  const unset = requests.length > 0 ? used.filter(([, name = '']) => !variables.has(name)) : []
  return [
    ...(literal.length > 0 ? [numbered] : []),
    ...unset.map(([name]) => `${name} is not set on this page`),
  ]
}

/** Messages name pages that the package has, too, and commands. */
function checkMessages(file: string, text: string): void {
  for (const [path] of text.matchAll(/\bdocs\/[\w/-]+\.md\b/g)) {
    const isPacked = packed.files.some((pattern) => globSync(pattern).includes(path))
    if (!isPacked) faults.push(`${file}: ${path} is not in the package`)
  }
  // `mailyard google sign-in` is the name of a channel between two windows.
  for (const [, quoted = ''] of text
    .replaceAll('mailyard google sign-in', '')
    .matchAll(/['"`]((?:\.\/)?mailyard [a-z][^'"`\n]*)['"`]/g))
    for (const fault of faultsOfCommand(quoted)) faults.push(`${file}: ${fault}`)
}
