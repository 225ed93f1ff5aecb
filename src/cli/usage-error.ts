import { settings } from '../config/index.ts'
import { suggest } from '../kit/suggest.ts'

const prefix = 'MAILYARD_'

/**
 * Says what is wrong with the usage, from commander's message. An unknown option that names a setting is answered
 * with its variable: `Unknown option --port. Set MAILYARD_PORT.` The value of an option is never shown.
 */
export function describeUsageError(message: string): string {
  const [, option] = /unknown option '(-[^'=]*)/.exec(message) ?? []
  if (option === undefined)
    return message
      .replace(/^error: /, '')
      .replaceAll('\n', ' ')
      .trim()
  const [meant] = /\(Did you mean .*\?\)/.exec(message) ?? []
  return `Unknown option ${option}. ${adviceOn(option, meant)}`
}

function adviceOn(option: string, meant: string | undefined): string {
  const name = option.replace(/^-+/, '').replaceAll('-', '_').toUpperCase()
  const variables = settings.map((setting) => setting.name)
  const variable = [name, `${prefix}${name}`].find((each) => variables.includes(each))
  if (variable !== undefined) return `Set ${variable}.`
  if (meant !== undefined) return meant.slice(1, -1)
  const near = suggest(
    name.replace(prefix, ''),
    variables.map((each) => each.slice(prefix.length)),
  )
  const advice = near?.replaceAll('"', '').replaceAll(/\b([A-Z_]{2,})\b/g, `${prefix}$1`)
  return advice ?? '--help lists the options; docs/configuration.md lists the settings.'
}
