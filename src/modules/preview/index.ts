export { PreviewModule } from './open-preview.ts'
