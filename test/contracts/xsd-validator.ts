// Judges documents by an XML schema, with libxml2 as WebAssembly: what `xmllint --schema` does, installed by npm.
import { XmlDocument, XsdValidator } from 'libxml2-wasm';

/** Throws libxml2's message unless every document is valid; a schema that is none throws too. */
export function validateXsd(schema: string, documents: readonly Uint8Array[]): void {
  const schemaDocument = XmlDocument.fromString(schema);
  try {
    const validator = XsdValidator.fromDoc(schemaDocument);
    try {
      for (const bytes of documents) {
        const document = XmlDocument.fromBuffer(bytes);
        try {
          validator.validate(document);
        } finally {
          document.dispose();
        }
      }
    } finally {
      validator.dispose();
    }
  } finally {
    schemaDocument.dispose();
  }
}
