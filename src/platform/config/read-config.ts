import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { AppError, type FaultDetails } from '../../kit/app-error.ts'
import { type Config, type Setting, settings } from './settings.ts'

/** Environment variables, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The configuration, and warnings for the operator. */
export interface ConfigReading {
  config: Config
  warnings: string[]
  settings: SettingInForce[]
}

/** A setting as it is in force, without its value if that is secret. */
export interface SettingInForce {
  name: string
  /** As text; of a secret, whether it is set. */
  value: string
  /** `file` is the one that `<NAME>_FILE` names. */
  source: 'environment' | 'file' | '.env' | 'default'
}

/**
 * Reads the configuration: each setting from its environment variable, from the file that `<NAME>_FILE` names, or from
 * `.env` in `folder`. Throws one AppError (`invalid`) that lists every fault by name, without values of secrets.
 */
export function readConfig(
  environment: Environment,
  folder: string,
  checks: SettingChecks = {},
): ConfigReading {
  const env: Environment = { ...readDotEnv(folder), ...environment }
  const faults: FaultDetails = {}
  const entries = settings.map((setting) => [setting.key, readSetting(setting, env, faults)])
  const config = Object.fromEntries(entries) as Config
  for (const { key, name } of settings) {
    const fault = name in faults ? undefined : checks[key]?.(config)
    if (fault !== undefined) faults[name] = [`${name}: ${fault}`]
  }
  if (Object.keys(faults).length > 0) throw configError(faults)
  const inForce = settings.map((setting) => describeSetting(setting, { env, environment }))
  return { config, warnings: findUnknownNames(env), settings: inForce }
}

/**
 * Checks by other modules, by the key of the setting. Each returns a message without secrets, or undefined. Settings with
 * faults are missing in `config`.
 */
export type SettingChecks = Partial<
  Record<keyof Config, (config: Partial<Config>) => string | undefined>
>

function readDotEnv(folder: string): Environment {
  try {
    return parseEnv(readFileSync(`${folder}/.env`, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    const message = `${folder}/.env cannot be read: ${(error as Error).message}`
    throw new AppError('invalid', 'config_invalid', message, { cause: error })
  }
}

function readSetting(setting: Setting, env: Environment, faults: FaultDetails): unknown {
  let text: string | undefined
  try {
    text = readText(setting.name, env) ?? setting.default
    return setting.parse(text)
  } catch (error) {
    const value = setting.isSecret || text === undefined ? '' : ` "${text}"`
    faults[setting.name] = [`${setting.name}${value}: ${(error as Error).message}`]
    return undefined
  }
}

function readText(name: string, env: Environment): string | undefined {
  const file = env[`${name}_FILE`]
  if (file === undefined || file === '') return env[name]
  if (env[name] !== undefined) throw new Error(`is set besides ${name}_FILE; set only one of them`)
  return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
}

function describeSetting(
  { name, default: fallback, isSecret }: Setting,
  { env, environment }: { env: Environment; environment: Environment },
): SettingInForce {
  const text = readText(name, env) ?? fallback
  const value = isSecret ? (text === '' ? 'not set' : 'set') : text
  if ((env[`${name}_FILE`] ?? '') !== '') return { name, value, source: 'file' }
  if (env[name] === undefined) return { name, value, source: 'default' }
  return { name, value, source: environment[name] === undefined ? '.env' : 'environment' }
}

function configError(faults: FaultDetails): AppError {
  const list = Object.values(faults).flat()
  const heading = list.length === 1 ? 'A setting is wrong' : `${list.length} settings are wrong`
  const message = `${heading}:\n${list.map((fault) => `  ${fault}`).join('\n')}`
  return new AppError('invalid', 'config_invalid', message, { details: faults })
}

/** Returns a warning for each unknown variable: with a misspelt name, the default is used. */
function findUnknownNames(env: Environment): string[] {
  const known = new Set(settings.flatMap(({ name }) => [name, `${name}_FILE`]))
  return Object.keys(env)
    .filter((name) => name.startsWith('MAILYARD_') && !known.has(name))
    .map((name) => `${name} is not a setting of Mailyard and is ignored.`)
}
