import type { Command } from 'commander'
import { exitCodes } from '../errors.ts'
import type { CommandContext } from '../output.ts'

/** `mailyard completion`: the script has every command, so that a shell completes without starting Mailyard. */
export async function printCompletion(
  { output }: CommandContext,
  program: Command,
  shell = '',
): Promise<number> {
  const places = [...placesOf(program, '')]
  const valued = [...new Set(places.flatMap((place) => place.valued))]
  const script = scripts[shell as keyof typeof scripts](places, valued)
  output.print({ shell, script }, script.trim().split('\n'))
  return exitCodes.ok
}

/** A command, and what may be typed after it. */
interface Place {
  /** As it is typed, with a blank before each word: ` queue list`; empty for the program. */
  path: string
  words: { word: string; description: string }[]
  /** The options that take a value. */
  valued: string[]
}

function* placesOf(command: Command, path: string): Generator<Place> {
  const options = [
    ...command.options.map(({ long, description }) => ({ word: long ?? '', description })),
    { word: '--json', description: 'answer in JSON' },
    { word: '--help', description: 'show the help' },
  ]
  const words = [
    ...command.commands.map((each) => ({ word: each.name(), description: each.description() })),
    ...(command.registeredArguments[0]?.argChoices ?? []).map((word) => ({
      word,
      description: '',
    })),
    ...options.filter(
      ({ word }, index) => options.findIndex((other) => other.word === word) === index,
    ),
  ]
  const valued = command.options.filter(({ required }) => required).map(({ long }) => long ?? '')
  yield { path, words, valued }
  for (const each of command.commands) yield* placesOf(each, `${path} ${each.name()}`)
}

type CreateScript = (places: readonly Place[], valued: readonly string[]) => string

const pathsOf = (places: readonly Place[]) =>
  places.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join('|')

/** Quotes a text for bash, zsh and fish. */
const quote = (text: string) => `'${text.replaceAll("'", '’')}'`

const createBash: CreateScript = (places, valued) => `
_mailyard() {
  local current=\${COMP_WORDS[COMP_CWORD]} path='' word words=''
  case \${COMP_WORDS[COMP_CWORD - 1]} in
    ${valued.join('|')}) return ;;
  esac
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
      ${pathsOf(places)}) path+=" $word" ;;
    esac
  done
  case $path in
${places.map(({ path, words }) => `    '${path}') words='${words.map(({ word }) => word).join(' ')}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _mailyard mailyard
`

const createZsh: CreateScript = (places, valued) => `
#compdef mailyard
_mailyard() {
  local place='' word
  local -a words_here
  case \${words[CURRENT - 1]} in
    ${valued.join('|')}) _files; return ;;
  esac
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place $word" in
      ${pathsOf(places)}) place+=" $word" ;;
    esac
  done
  case $place in
${places.map(({ path, words }) => `    '${path}') words_here=(${words.map(zshWord).join(' ')}) ;;`).join('\n')}
  esac
  _describe 'mailyard' words_here || _files
}
if [ "$funcstack[1]" = _mailyard ]; then _mailyard "$@"; else compdef _mailyard mailyard; fi
`

const zshWord = ({ word, description }: Place['words'][number]) =>
  quote(description === '' ? word : `${word}:${description}`)

const createFish: CreateScript = (places, valued) => `
function __mailyard_at
  set -l path ''
  for word in (commandline -opc)[2..]
    switch "$path $word"
      case ${pathsOf(places).replaceAll('|', ' ')}
        set path "$path $word"
    end
  end
  contains -- (commandline -opc)[-1] ${valued.join(' ')}; and return 1
  test "$path" = $argv[1]
end
${places.flatMap(({ path, words }) => words.map(({ word, description }) => `complete -c mailyard -n "__mailyard_at '${path}'" -a ${quote(word)} -d ${quote(description)}`)).join('\n')}
`

const scripts = { bash: createBash, zsh: createZsh, fish: createFish }
