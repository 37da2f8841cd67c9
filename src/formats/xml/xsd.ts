// The schema of a register's XML (XML Schema 1.0), generated from its definition. The types are as strict as processors
// agree on: libxml2 reads integers of at most 24 digits and has its own reading of URIs, so both have a pattern, in
// addition or instead.
import { type AnyCoreField, CORE_FIELDS } from '../../register/fields.ts';
import type { Field, FieldType, RegisterDefinition } from '../../register/record.ts';
import { escapeAttribute, escapeText } from './text.ts';
import { MARKED_TYPES, RECORD_ATTRIBUTES, REGISTER_NAMESPACE, ROOT_ELEMENT } from './xml.ts';

const TYPES: Readonly<Record<FieldType, string>> = {
  text: 'xs:string',
  number: 'xs:double',
  decimal: 'r:decimal',
  integer: 'r:integer',
  boolean: 'xs:boolean',
  date: 'xs:date',
  datetime: 'r:time',
  url: 'r:url',
  json: 'xs:string',
};

/**
 * The XSD that every XML document of this register validates against, for a page or the whole register. It depends only
 * on the definition.
 *
 * @example await writeFile('permits.xsd', registerSchema(permits.definition));
 */
export function registerSchema(definition: RegisterDefinition): string {
  const core = CORE_FIELDS.filter(({ name }) => !RECORD_ATTRIBUTES.has(name)).map(coreElement);
  const elements = [...core, ...definition.fields.map((field) => element(field, typeOf(field)))].join('');
  return `<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:r="${REGISTER_NAMESPACE}" targetNamespace="${REGISTER_NAMESPACE}" elementFormDefault="qualified">
  <xs:annotation>
    <xs:documentation>Records of the register ${escapeText(definition.id)}: ${escapeText(definition.title)}</xs:documentation>
  </xs:annotation>
  <xs:element name="${ROOT_ELEMENT}">
    <xs:complexType>
      <xs:sequence>
        <xs:element name="record" type="r:record" minOccurs="0" maxOccurs="unbounded"/>
      </xs:sequence>
      <xs:attribute name="id" type="xs:string" use="required" fixed="${escapeAttribute(definition.id)}"/>
      <xs:attribute name="as_of" type="xs:string"/>
      <xs:attribute name="title" type="xs:string" use="required"/>
      <xs:attribute name="author" type="xs:string"/>
      <xs:attribute name="rights" type="xs:string"/>
      <xs:attribute name="homepage" type="xs:string"/>
      <xs:attribute name="last_change" type="r:time"/>
      <xs:attribute name="filter" type="xs:string"/>
      <xs:attribute name="fields" type="xs:string"/>
      <xs:attribute name="self" type="xs:string"/>
      <xs:attribute name="next" type="xs:string"/>
      <xs:anyAttribute namespace="http://www.w3.org/XML/1998/namespace" processContents="lax"/>
    </xs:complexType>
  </xs:element>
  <xs:element name="observedAt" type="r:time">
    <xs:annotation>
      <xs:documentation>In RSS and Atom: when the register first observed the record.</xs:documentation>
    </xs:annotation>
  </xs:element>
  <xs:complexType name="record">
    <xs:sequence>
${elements}    </xs:sequence>
    <xs:attribute name="id" type="xs:string" use="required"/>
    <xs:attribute name="position" type="xs:positiveInteger"/>
    <xs:attribute name="version" type="xs:positiveInteger"/>
  </xs:complexType>
  <xs:simpleType name="time">
    <xs:annotation>
      <xs:documentation>A date, or a date and time with its offset, at the precision of the source.</xs:documentation>
    </xs:annotation>
    <xs:union memberTypes="xs:date xs:dateTime"/>
  </xs:simpleType>
  <xs:simpleType name="decimal">
    <xs:annotation>
      <xs:documentation>An exact number of any length: processors need not read xs:decimal beyond 18 digits.</xs:documentation>
    </xs:annotation>
    <xs:union memberTypes="xs:decimal r:longDecimal"/>
  </xs:simpleType>
  <xs:simpleType name="longDecimal">
    <xs:restriction base="xs:string">
      <xs:pattern value="-?[0-9]+(\\.[0-9]+)?"/>
    </xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="integer">
    <xs:annotation>
      <xs:documentation>A whole number of any length: processors need not read xs:integer beyond 18 digits.</xs:documentation>
    </xs:annotation>
    <xs:union memberTypes="xs:integer r:longInteger"/>
  </xs:simpleType>
  <xs:simpleType name="longInteger">
    <xs:restriction base="xs:string">
      <xs:pattern value="-?[0-9]{19,}"/>
    </xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="url">
    <xs:annotation>
      <xs:documentation>An absolute http(s) URL; not xs:anyURI, which processors check each in their own way.</xs:documentation>
    </xs:annotation>
    <xs:restriction base="xs:string">
      <xs:pattern value="[hH][tT][tT][pP][sS]?://\\S.*"/>
    </xs:restriction>
  </xs:simpleType>
${CORE_FIELDS.map(valuesType).join('')}${[...MARKED_TYPES].map(markedType).join('')}</xs:schema>
`.toWellFormed();
}

/** The element of a core field. */
function coreElement(field: AnyCoreField): string {
  return element(field, field.values === undefined ? typeOf(field) : `r:${valuesTypeName(field)}`);
}

/** The type of a field's element. */
function typeOf({ type }: Field): string {
  return MARKED_TYPES.has(type) ? `r:${type}Value` : TYPES[type];
}

/**
 * The element of one field: an empty element is the empty string, a missing one is null. A document of some fields
 * (`fields` of its root) lacks the others, so every element may be missing.
 */
function element({ name, label, description }: Field, typeName: string): string {
  const documentation = description === undefined ? label : `${label}: ${description}`;
  return `      <xs:element name="${name}" type="${typeName}" minOccurs="0">
        <xs:annotation>
          <xs:documentation>${escapeText(documentation)}</xs:documentation>
        </xs:annotation>
      </xs:element>
`;
}

/** The type of a core field with a fixed set of values; nothing for any other field. */
function valuesType(field: AnyCoreField): string {
  if (field.values === undefined) return '';
  const values = field.values.map((value) => `      <xs:enumeration value="${value}"/>\n`).join('');
  return `  <xs:simpleType name="${valuesTypeName(field)}">
    <xs:restriction base="xs:string">
${values}    </xs:restriction>
  </xs:simpleType>
`;
}

/** `contentType` for `content_type`. */
function valuesTypeName({ name }: Field): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A value with its type, for readers without the schema. */
function markedType(type: FieldType): string {
  return `  <xs:complexType name="${type}Value">
    <xs:simpleContent>
      <xs:extension base="${TYPES[type]}">
        <xs:attribute name="type" type="xs:string" use="required" fixed="${type}"/>
      </xs:extension>
    </xs:simpleContent>
  </xs:complexType>
`;
}
