export { brandShape } from './schema.ts'
export { brandOfSender, type CheckSender, SendingBrands } from './sending-brands.ts'
export { type Brands, openBrands } from './service.ts'
export { type BrandTables, brandMigrations } from './table.ts'
