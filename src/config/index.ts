export type { Config, TrustedNetwork } from './config.ts'
export { type ConfigReading, readConfig } from './read-config.ts'
export { defaultConfig, settings } from './settings.ts'
