export {
  findMemoryFault,
  memoryMegabytes,
  publicUrl,
  SmtpEndpoint,
} from './config.ts'
export { openAppKeyring } from './open-keyring.ts'
export { type ConfigReading, readConfig, type SettingInForce } from './read-config.ts'
export { type Config, defaultConfig, settings } from './settings.ts'
