export { type Config, defaultConfig } from './config.ts'
export { readConfig } from './read-config.ts'
export { type Setting, settings } from './settings.ts'
