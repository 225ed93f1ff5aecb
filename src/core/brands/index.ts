export { brandShape } from './schema.ts'
export { brandOfSender, type CheckSender, SendingBrands } from './sending-brands.ts'
export { openBrands } from './service.ts'
export { type BrandTables, brandMigrations } from './table.ts'
