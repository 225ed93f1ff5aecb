import { systemClock } from '../../kit/clock.ts'
import { createCache } from './cache.ts'
import { createZones } from './dates/zones.ts'
import { phpConstants } from './functions/constants.ts'
import type { RenderOptions, TwigOptions } from './options.ts'
import { fromHost } from './runtime/host-values.ts'
import type { Settings } from './runtime/settings.ts'
import type { Value } from './values/value.ts'

/**
 * The maximum size of cached formatters and parsed style sheets. The cache key contains the text of
 * a style sheet.
 */
const keptBytes = 24_000_000
/** A style sheet of one-letter selectors takes 300 bytes per character. */
const weighKept = (_value: unknown, key: string): number => 10_000 + key.length * 300

/** Creates the settings of an engine from its options. Throws a RangeError for an unknown time zone. */
export function settingsFrom(options: TwigOptions): Settings {
  const { sandbox = {}, dateFormat = {}, numberFormat = {}, timezone = 'UTC' } = options
  const zones = createZones()
  if (zones.find(timezone) === undefined) {
    throw new RangeError(`Time zone "${timezone}" was not found.`)
  }
  const defaults: Settings = {
    strictVariables: false,
    timezone,
    zones,
    kept: createCache(300, { weigh: weighKept, weightMax: keptBytes }),
    locale: 'en',
    dateFormat: {
      date: dateFormat.date ?? 'F j, Y H:i',
      interval: dateFormat.interval ?? '%d days',
    },
    numberFormat: {
      decimals: numberFormat.decimals ?? 0,
      point: numberFormat.point ?? '.',
      separator: numberFormat.separator ?? ',',
    },
    now: () => systemClock.now(),
    random: Math.random,
    debug: false,
    escapers: new Map(Object.entries(options.escapers ?? {})),
    constants: new Map([...phpConstants, ...hostEntries(options.constants ?? {})]),
    enums: new Map(
      Object.entries(options.enums ?? {}).map(([name, cases]) => [name, hostEntries(cases)]),
    ),
    sandbox: {
      tag: new Set(sandbox.tags),
      filter: new Set(sandbox.filters),
      function: new Set(sandbox.functions),
    },
  }
  return settingsFor(defaults, options)
}

/** Applies the options of one render. */
export function settingsFor(settings: Settings, options: RenderOptions): Settings {
  const { now } = options
  return {
    ...settings,
    strictVariables: options.strictVariables ?? settings.strictVariables,
    timezone: options.timezone ?? settings.timezone,
    locale: options.locale ?? settings.locale,
    now: now === undefined ? settings.now : clock(now),
    random: options.random ?? settings.random,
    debug: options.debug ?? settings.debug,
  }
}

function clock(now: Date | (() => Date)): () => number {
  return typeof now === 'function' ? () => now().getTime() : () => now.getTime()
}

function hostEntries(record: Readonly<Record<string, unknown>>): Map<string, Value> {
  const entries = new Map<string, Value>()
  for (const [name, host] of Object.entries(record)) {
    const value = fromHost(host)
    if (value !== undefined) entries.set(name, value)
  }
  return entries
}
