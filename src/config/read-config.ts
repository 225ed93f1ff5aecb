import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { AppError, type FaultDetails } from '../kit/app-error.ts'
import type { Config } from './config.ts'
import { type Setting, settings } from './settings.ts'

/** The environment to read from, as `process.env` has it. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What was read, and what an operator should be told of it. */
export interface ConfigReading {
  config: Config
  warnings: string[]
}

/**
 * Reads the configuration from the environment, each `<NAME>` or the file that `<NAME>_FILE` names, and
 * from `.env` in `folder` for what the environment leaves out. Throws one AppError (`invalid`) that
 * lists every fault, by name and never with a secret's value.
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
  return { config, warnings: findUnknownNames(env) }
}

/**
 * What other rooms know to be wrong with a setting, by its key: a sentence without secrets, or undefined.
 * Other settings may be missing where they have faults of their own.
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
  if (env[name] !== undefined) throw new Error(`is set beside ${name}_FILE; keep one of the two`)
  return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
}

function configError(faults: FaultDetails): AppError {
  const list = Object.values(faults).flat()
  const heading = list.length === 1 ? 'A setting is wrong' : `${list.length} settings are wrong`
  const message = `${heading}:\n${list.map((fault) => `  ${fault}`).join('\n')}`
  return new AppError('invalid', 'config_invalid', message, { details: faults })
}

/** A misspelt name would otherwise be a default that nobody asked for. */
function findUnknownNames(env: Environment): string[] {
  const known = new Set(settings.flatMap(({ name }) => [name, `${name}_FILE`]))
  return Object.keys(env)
    .filter((name) => name.startsWith('MAILYARD_') && !known.has(name))
    .map((name) => `${name} is not a setting of Mailyard and does nothing.`)
}
