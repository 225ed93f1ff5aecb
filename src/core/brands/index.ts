export { brandShape } from './schema.ts'
export { type Brands, openBrands } from './service.ts'
export { type BrandTables, brandMigrations } from './table.ts'
