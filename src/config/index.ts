export {
  type Config,
  findMemoryFault,
  memoryMegabytes,
  publicUrl,
  type SmtpAddress,
  smtpAddress,
  type TrustedNetwork,
} from './config.ts'
export { type ConfigReading, readConfig, type SettingInForce } from './read-config.ts'
export { defaultConfig, settings } from './settings.ts'
