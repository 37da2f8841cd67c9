// A token with EIP-3009, as small as the facilitator and the reconciler need it, in the machine's own words: it is put on
// the local chain as it is, so that no compiler is needed. Balances lie at keccak256(address . 0), as Solidity would put them.
import { AUTHORIZATION_USED, TRANSFER } from '../../../src/wings/selling/purchases/x402/chain.ts';
import { keccak256 } from '../../../src/wings/selling/purchases/x402/keccak.ts';

/** The token's EIP-712 domain. */
export const TOKEN = {
  name: 'Test Dollar',
  version: '2',
  chainId: 31337,
  address: '0x7007000000000000000000000000000000000001',
};

const OPCODES: Readonly<Record<string, number>> = {
  STOP: 0x00, ADD: 0x01, SUB: 0x03, LT: 0x10, GT: 0x11, EQ: 0x14, ISZERO: 0x15, SHL: 0x1b, SHR: 0x1c, KECCAK256: 0x20,
  CALLDATALOAD: 0x35, CALLDATASIZE: 0x36, CALLDATACOPY: 0x37, TIMESTAMP: 0x42, MLOAD: 0x51, MSTORE: 0x52, SLOAD: 0x54, SSTORE: 0x55, JUMPI: 0x57,
  GAS: 0x5a, JUMPDEST: 0x5b, PUSH0: 0x5f, DUP1: 0x80, DUP2: 0x81, SWAP1: 0x90, LOG3: 0xa3, RETURN: 0xf3, STATICCALL: 0xfa,
  REVERT: 0xfd,
}; // prettier-ignore

/** ERC-1271: how a contract is asked whether a signature is its own, which is also its answer. */
const IS_VALID_SIGNATURE = selector('isValidSignature(bytes32,bytes)');

/** A transfer that a contract signed. */
const BY_CONTRACT = selector('transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)');

/**
 * The code of a wallet that is a contract (ERC-1271): a signature is its own when the owner's key made its first 65 bytes, and
 * more bytes follow.
 */
export function walletCode(owner: string): string {
  const fails = '@fail JUMPI';
  return assemble(`
    0x44 CALLDATALOAD 0x41 LT ISZERO ${fails}
    0x04 CALLDATALOAD PUSH0 MSTORE 0xa4 CALLDATALOAD 0xf8 SHR 0x20 MSTORE
    0x64 CALLDATALOAD 0x40 MSTORE 0x84 CALLDATALOAD 0x60 MSTORE
    0x20 PUSH0 0x80 PUSH0 0x01 GAS STATICCALL ISZERO ${fails}
    PUSH0 MLOAD ${owner} EQ ISZERO ${fails}
    0x${IS_VALID_SIGNATURE} 0xe0 SHL PUSH0 MSTORE 0x20 PUSH0 RETURN
    fail: PUSH0 PUSH0 REVERT`);
}

/** The code of the token. Words are opcodes, `0x…` what is pushed, `name:` a place and `@name` a push of it. */
export function tokenCode(): string {
  const typeHash = hash(
    'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
  );
  const slotOf = (argument: string): string =>
    `${argument} CALLDATALOAD PUSH0 MSTORE PUSH0 0x20 MSTORE 0x40 PUSH0 KECCAK256`;
  const answer = 'SLOAD PUSH0 MSTORE 0x20 PUSH0 RETURN';
  const fails = '@fail JUMPI';
  const magic = `0x${IS_VALID_SIGNATURE} 0xe0 SHL`;
  return assemble(`
    PUSH0 CALLDATALOAD 0xe0 SHR
    DUP1 0x${selector('transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)')} EQ @transfer JUMPI
    DUP1 0x${BY_CONTRACT} EQ @transfer JUMPI
    DUP1 0x${selector('authorizationState(address,bytes32)')} EQ @state JUMPI
    DUP1 0x${selector('balanceOf(address)')} EQ @balance JUMPI
    fail: PUSH0 PUSH0 REVERT

    balance: ${slotOf('0x04')} ${answer}

    state: 0x04 CALLDATALOAD PUSH0 MSTORE 0x24 CALLDATALOAD 0x20 MSTORE 0x40 PUSH0 KECCAK256 ${answer}

    transfer:
    0x64 CALLDATALOAD TIMESTAMP GT ISZERO ${fails}
    0x84 CALLDATALOAD TIMESTAMP LT ISZERO ${fails}
    0x04 CALLDATALOAD PUSH0 MSTORE 0xa4 CALLDATALOAD 0x20 MSTORE 0x40 PUSH0 KECCAK256
    DUP1 SLOAD ${fails} 0x01 SWAP1 SSTORE
    ${typeHash} PUSH0 MSTORE 0xc0 0x04 0x20 CALLDATACOPY 0xe0 PUSH0 KECCAK256
    0x1901 0xf0 SHL PUSH0 MSTORE ${domainSeparator()} 0x02 MSTORE 0x22 MSTORE 0x42 PUSH0 KECCAK256
    SWAP1 0x${BY_CONTRACT} EQ @contract JUMPI
    PUSH0 MSTORE 0xc4 CALLDATALOAD 0x20 MSTORE 0xe4 CALLDATALOAD 0x40 MSTORE 0x0104 CALLDATALOAD 0x60 MSTORE
    0x20 PUSH0 0x80 PUSH0 0x01 GAS STATICCALL ISZERO ${fails}
    PUSH0 MLOAD 0x04 CALLDATALOAD EQ ISZERO ${fails}
    0x01 @move JUMPI

    contract:
    ${magic} PUSH0 MSTORE 0x04 MSTORE 0x40 0x24 MSTORE
    0xe4 CALLDATASIZE SUB 0xe4 0x44 CALLDATACOPY
    0x20 PUSH0 0xa0 CALLDATASIZE SUB PUSH0 0x04 CALLDATALOAD GAS STATICCALL ISZERO ${fails}
    PUSH0 MLOAD ${magic} EQ ISZERO ${fails}

    move:
    ${slotOf('0x04')} DUP1 SLOAD 0x44 CALLDATALOAD DUP2 DUP2 GT ${fails} SWAP1 SUB SWAP1 SSTORE
    ${slotOf('0x24')} DUP1 SLOAD 0x44 CALLDATALOAD ADD SWAP1 SSTORE
    0xa4 CALLDATALOAD 0x04 CALLDATALOAD ${AUTHORIZATION_USED} PUSH0 PUSH0 LOG3
    0x44 CALLDATALOAD PUSH0 MSTORE
    0x24 CALLDATALOAD 0x04 CALLDATALOAD ${TRANSFER} 0x20 PUSH0 LOG3
    STOP`);
}

/** Where the token keeps a balance. */
export function balanceSlot(address: string): string {
  return keccakHex(Buffer.from(`${address.slice(2).padStart(64, '0')}${'0'.repeat(64)}`, 'hex'));
}

function domainSeparator(): string {
  const { name, version, chainId, address } = TOKEN;
  const type = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';
  const words = [hash(type), hash(name), hash(version), chainId.toString(16), address];
  return keccakHex(Buffer.from(words.map((word) => word.replace(/^0x/, '').padStart(64, '0')).join(''), 'hex'));
}

function assemble(text: string): string {
  const places = new Map<string, number>();
  const parts: (readonly number[] | string)[] = [];
  let length = 0;
  for (const word of text.trim().split(/\s+/)) {
    const part = word.startsWith('@') ? word.slice(1) : bytesOf(word);
    if (word.endsWith(':')) places.set(word.slice(0, -1), length);
    parts.push(part);
    length += typeof part === 'string' ? 3 : part.length;
  }
  const code = parts.flatMap((part) => {
    if (typeof part !== 'string') return part;
    const place = places.get(part) ?? 0;
    return [0x61, place >> 8, place & 0xff];
  });
  return `0x${Buffer.from(code).toString('hex')}`;
}

function bytesOf(word: string): readonly number[] {
  if (word.endsWith(':')) return [OPCODES.JUMPDEST ?? 0];
  if (!word.startsWith('0x')) {
    const opcode = OPCODES[word];
    if (opcode === undefined) throw new Error(`no opcode ${word}`);
    return [opcode];
  }
  const pushed = Buffer.from(word.slice(2), 'hex');
  return [0x5f + pushed.length, ...pushed];
}

function selector(signature: string): string {
  return hash(signature).slice(2, 10);
}

function hash(text: string): string {
  return keccakHex(Buffer.from(text));
}

function keccakHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(keccak256(bytes)).toString('hex')}`;
}
