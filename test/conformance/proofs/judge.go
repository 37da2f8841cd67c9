// Checks logs with Go's own packages: reads a JSON list of logs from standard input, and prints one line for each of them,
// "accepted" or what is wrong. `tlog.ParseTree` knows the header of Go's own database alone: the three lines are read here.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type inclusion struct {
	Index  int64
	Entry  []byte
	Hashes [][]byte
}

type log struct {
	Vkey       string
	Origin     string
	Checkpoint string
	Tiles      map[string][]byte
	Inclusion  []inclusion
	Before     *struct {
		Checkpoint string
		Hashes     [][]byte
	}
}

// Tiles as C2SP tlog-tiles names them: Go's own names have the height in them.
type tiles map[string][]byte

func (t tiles) Height() int                                { return 8 }
func (t tiles) SaveTiles(_ []tlog.Tile, _ [][]byte)        {}
func (t tiles) ReadTiles(all []tlog.Tile) ([][]byte, error) {
	data := make([][]byte, len(all))
	for i, tile := range all {
		path := "tile/" + strings.TrimPrefix(tile.Path(), "tile/8/")
		held, ok := t[path]
		if !ok {
			return nil, fmt.Errorf("there is no %s", path)
		}
		data[i] = held
	}
	return data, nil
}

func open(l log, signed string) (tlog.Tree, error) {
	verifier, err := note.NewVerifier(l.Vkey)
	if err != nil {
		return tlog.Tree{}, err
	}
	opened, err := note.Open([]byte(signed), note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[0] != l.Origin {
		return tlog.Tree{}, fmt.Errorf("not a checkpoint of %s", l.Origin)
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || len(root) != tlog.HashSize {
		return tlog.Tree{}, fmt.Errorf("no root")
	}
	tree := tlog.Tree{N: size}
	copy(tree.Hash[:], root)
	return tree, nil
}

func hashes(all [][]byte) []tlog.Hash {
	list := make([]tlog.Hash, len(all))
	for i, bytes := range all {
		copy(list[i][:], bytes)
	}
	return list
}

// The entries of all bundles, in their order.
func entries(l log, size int64) ([][]byte, error) {
	var all [][]byte
	for n := int64(0); n*256 < size; n++ {
		tile := tlog.Tile{H: 8, L: -1, N: n, W: int(size - n*256)}
		if tile.W > 256 {
			tile.W = 256
		}
		path := strings.Replace(tile.Path(), "tile/8/data/", "tile/entries/", 1)
		bundle, ok := l.Tiles[path]
		if !ok {
			return nil, fmt.Errorf("there is no %s", path)
		}
		for len(bundle) > 0 {
			end := 2 + int(bundle[0])<<8 + int(bundle[1])
			all = append(all, bundle[2:end])
			bundle = bundle[end:]
		}
	}
	return all, nil
}

func check(l log) error {
	tree, err := open(l, l.Checkpoint)
	if err != nil {
		return err
	}
	all, err := entries(l, tree.N)
	if err != nil {
		return err
	}
	if int64(len(all)) != tree.N {
		return fmt.Errorf("%d entries, and a size of %d", len(all), tree.N)
	}
	// The root once more, of the entries alone.
	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			out[i] = stored[index]
		}
		return out, nil
	})
	for i, entry := range all {
		more, err := tlog.StoredHashes(int64(i), entry, reader)
		if err != nil {
			return err
		}
		stored = append(stored, more...)
	}
	// RFC 6962 2.1: the root of no entries is the hash of nothing. `tlog.TreeHash` answers zeros for it in its older versions.
	root := tlog.Hash(sha256.Sum256(nil))
	if tree.N > 0 {
		root, err = tlog.TreeHash(tree.N, reader)
	}
	if err != nil || root != tree.Hash {
		return fmt.Errorf("the root is not that of the entries: %v", err)
	}
	// This reader checks every tile that it reads against the root.
	served := tlog.TileHashReader(tree, tiles(l.Tiles))
	for _, in := range l.Inclusion {
		if !bytes.Equal(in.Entry, all[in.Index]) {
			return fmt.Errorf("entry %d differs", in.Index)
		}
		if err := tlog.CheckRecord(hashes(in.Hashes), tree.N, tree.Hash, in.Index, tlog.RecordHash(in.Entry)); err != nil {
			return fmt.Errorf("entry %d: %v", in.Index, err)
		}
		own, err := tlog.ProveRecord(tree.N, in.Index, served)
		if err != nil {
			return fmt.Errorf("tiles of entry %d: %v", in.Index, err)
		}
		if err := tlog.CheckRecord(own, tree.N, tree.Hash, in.Index, tlog.RecordHash(in.Entry)); err != nil {
			return fmt.Errorf("tiles of entry %d: %v", in.Index, err)
		}
	}
	if l.Before == nil {
		return nil
	}
	before, err := open(l, l.Before.Checkpoint)
	if err != nil {
		return err
	}
	if before.N == 0 {
		// Every log begins with no entries, and nothing else proves it.
		if before.Hash != tlog.Hash(sha256.Sum256(nil)) || len(l.Before.Hashes) > 0 {
			return fmt.Errorf("the earlier root is not that of no entries")
		}
		return nil
	}
	return tlog.CheckTree(hashes(l.Before.Hashes), tree.N, tree.Hash, before.N, before.Hash)
}

func main() {
	var logs []log
	if err := json.NewDecoder(os.Stdin).Decode(&logs); err != nil {
		panic(err)
	}
	for _, l := range logs {
		if err := check(l); err != nil {
			fmt.Println(err)
		} else {
			fmt.Println("accepted")
		}
	}
}
